import { expect, it } from "@jest/globals";
import { ConnectionError, StatementTimeoutError } from "../../errors/index.js";
import { lateError } from "./statement-deadline.js";

it("lateError returns a StatementTimeoutError for a write that was refused near its deadline", () => {
  expect(lateError(new Error("refused"), false, 1_000)).toBeInstanceOf(StatementTimeoutError);
});

it("lateError returns a transient error for a write that was refused early, after the server's clock was changed", () => {
  const error = lateError(new Error("refused"), true, 1_000);
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ transient: true });
});
