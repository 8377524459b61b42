import { types } from "node:util";
import { expect, it } from "@jest/globals";
import { DatabaseError } from "./index.js";
import { ownError } from "./thrown.js";

it("an error of one's own is equal to the shared one, and another object", () => {
  const shared = new DatabaseError("lost", { threadId: "1", transient: true, cause: new Error("reset") });
  const own = ownError(shared);
  expect(own).not.toBe(shared);
  expect(own).toBeInstanceOf(DatabaseError);
  expect(types.isNativeError(own)).toBe(true);
  const { name, code, message, stack, cause, threadId, transient } = shared;
  expect(own).toMatchObject({ name, code, message, stack, cause, threadId, transient });
  expect(Object.keys(own as object)).toEqual(Object.keys(shared));
});

it("what is no error is passed on as it is", () => {
  expect(ownError("reason")).toBe("reason");
});
