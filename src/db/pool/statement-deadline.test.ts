import { expect, it } from "@jest/globals";
import { ConnectionError, StatementTimeoutError } from "../../errors/index.js";
import { lateError } from "./statement-deadline.js";

it("takes a write that was refused when its time was nearly over for one that took too long", () => {
  expect(lateError(new Error("refused"), 900, { statementTimeoutMs: 1_000 })).toBeInstanceOf(
    StatementTimeoutError,
  );
});

it("has a write tried again that was refused at once, since the server's clock has been set meanwhile", () => {
  const error = lateError(new Error("refused"), 10, { statementTimeoutMs: 1_000 });
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ transient: true });
});
