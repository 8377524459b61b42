import { z } from "zod";

/** A schema for a function. It does not check the parameters or the result. */
export function functionSchema<Fn extends (...args: never[]) => unknown>() {
  return z.custom<Fn>((value) => typeof value === "function", "must be a function");
}
