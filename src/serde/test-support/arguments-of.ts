/** The `arguments` object of a call with these values. */
export function argumentsOf(...values: readonly unknown[]): object {
  function call(): object {
    // oxlint-disable-next-line prefer-rest-params
    return arguments;
  }
  return Reflect.apply(call, undefined, values) as object;
}
