import { expect, it } from "@jest/globals";
import {
  copyOrigin,
  PYTHON_ORIGIN,
  PYTHON_SCALARS,
  pythonOriginOf,
  pythonScalarsOf,
  rememberOrigin,
  rememberScalars,
} from "./python-origin.js";

const ORIGIN = { code: 2, module: "uuid", name: "UUID" };
const SCALARS = new Map([["a", { value: 1, bytes: new Uint8Array([1]) }]]);
/** It is hidden, and an application can replace it or take it away. */
const HIDDEN = { configurable: true, enumerable: false, writable: true };

it("what a value was in Python is kept in hidden properties", () => {
  const value = rememberScalars(rememberOrigin({ a: 1 }, ORIGIN), SCALARS);
  expect(Object.getOwnPropertyDescriptor(value, PYTHON_ORIGIN)).toEqual({ ...HIDDEN, value: ORIGIN });
  expect(Object.getOwnPropertyDescriptor(value, PYTHON_SCALARS)).toEqual({ ...HIDDEN, value: SCALARS });
  expect([pythonOriginOf(value), pythonScalarsOf(value)]).toEqual([ORIGIN, SCALARS]);
  expect(pythonOriginOf(copyOrigin(value, {}))).toBe(ORIGIN);
  // A copy of the application is a new value.
  expect(pythonOriginOf({ ...value })).toBeUndefined();
});

it("a value that was nothing else in Python keeps nothing", () => {
  for (const scalars of [undefined, new Map()])
    expect(Reflect.ownKeys(rememberScalars({}, scalars))).toEqual([]);
  expect(Reflect.ownKeys(copyOrigin({}, {}))).toEqual([]);
  // What a prototype has is not its own.
  const heir = Object.create(rememberOrigin({}, ORIGIN)) as object;
  expect([pythonOriginOf(heir), pythonScalarsOf(heir)]).toEqual([undefined, undefined]);
});
