import { type BoundStatement, Statement } from "../../db/statements/statement.js";

/** Records the model of the embeddings, unless one is recorded already. */
export function claimModel(schema: string, model: string): BoundStatement<unknown> {
  return statement.bind(schema, { model });
}

const statement = /* @__PURE__ */ new Statement<{ readonly model: string }, unknown>((db, parameter) =>
  db
    .insertInto("store_embedding_model")
    .values({ model: parameter("model") })
    .onConflict((conflict) => conflict.doNothing()),
);
