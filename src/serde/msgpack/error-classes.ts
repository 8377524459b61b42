/** How an Error of each class that may be stored is made again, before its own properties are put on it. */
export const ERROR_FACTORIES: Readonly<Record<string, () => Error>> = {
  AggregateError: () => new AggregateError([]),
  Error: () => new Error(),
  EvalError: () => new EvalError(),
  RangeError: () => new RangeError(),
  ReferenceError: () => new ReferenceError(),
  SyntaxError: () => new SyntaxError(),
  TypeError: () => new TypeError(),
  URIError: () => new URIError(),
};
