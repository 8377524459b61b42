import {
  IdentifierNode,
  type KyselyPlugin,
  OperationNodeTransformer,
  type PluginTransformResultArgs,
  type PluginTransformQueryArgs,
  type QueryResult,
  type RootOperationNode,
  type SchemableIdentifierNode,
  type UnknownRow,
} from "kysely";
import { z } from "zod";
import { CHECKPOINT_STORE_TABLE, problemOfCheckpointTable } from "../../migrations/checkpoint-table.js";

/** The name of the table in the statements, for which the type of its rows is generated. */
const DEFAULT_TABLE = "checkpoint_store";

/**
 * Puts the name of the caller's table into a statement. The builder would take a dot in a name for the end of a schema, and ` as ` for the
 * beginning of an alias.
 */
export class RenameTable implements KyselyPlugin {
  readonly #renaming: Renaming;

  constructor(table: string) {
    this.#renaming = new Renaming(table);
  }

  transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    return this.#renaming.transformNode(node);
  }

  transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return Promise.resolve(result);
  }
}

class Renaming extends OperationNodeTransformer {
  readonly #table: string;

  constructor(table: string) {
    super();
    this.#table = table;
  }

  protected override transformSchemableIdentifier(node: SchemableIdentifierNode): SchemableIdentifierNode {
    if (node.identifier.name !== DEFAULT_TABLE) return super.transformSchemableIdentifier(node);
    return { ...node, identifier: IdentifierNode.create(this.#table) };
  }
}

/** The name of the table, as the options of Postgres and of SQLite have it. */
export const tableName = z
  .string()
  .superRefine((name, context) => {
    const problem = problemOfCheckpointTable(name);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  })
  .default(CHECKPOINT_STORE_TABLE);
