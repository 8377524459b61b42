import { expect } from "@jest/globals";
import type { NamedError } from "./bad-input.js";

/**
 * Expects that a call rejects with exactly this error. A call that threw before it returned a promise would not get
 * here.
 */
export async function expectRejection(call: Promise<unknown>, { type, fields }: NamedError): Promise<void> {
  const outcome = await call.then(
    (value) => ({ value }),
    (reason: unknown) => ({ reason }),
  );
  expect(outcome).toHaveProperty("reason");
  const { reason } = outcome as { reason: unknown };
  expect(reason).toBeInstanceOf(type);
  expect(reason).toMatchObject(fields);
}
