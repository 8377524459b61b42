import { expect, it } from "@jest/globals";
import type { LockHolder } from "../errors/index.js";
import { describeHolders } from "./in-locked-transaction.js";

const ONE: LockHolder = { processId: 1, applicationName: undefined, since: undefined };
const NAMED: LockHolder = { ...ONE, processId: 2, applicationName: "deploy" };
const OLD: LockHolder = { ...ONE, processId: 3, since: new Date(0) };
const FULL: LockHolder = { ...NAMED, processId: 4, since: new Date(0) };
const PREPARED: LockHolder = { ...ONE, processId: undefined };

it.each([
  [[ONE], "process 1"],
  [[NAMED, ONE], 'process 2 (application "deploy"), process 1'],
  [[OLD], "process 3 (in a transaction since 1970-01-01T00:00:00.000Z)"],
  [[FULL], 'process 4 (application "deploy", in a transaction since 1970-01-01T00:00:00.000Z)'],
  [[PREPARED, ONE, ONE], "a prepared transaction (see pg_prepared_xacts), process 1, process 1"],
  [[ONE, ONE, ONE, NAMED], "process 1, process 1, process 1, 1 more"],
  [[ONE, ONE, ONE, NAMED, OLD], "process 1, process 1, process 1, 2 more"],
])("the holders of a lock %j are described as %s", (holders, text) => {
  expect(describeHolders(holders)).toBe(text);
});
