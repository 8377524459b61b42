/** The names and keys of the built-in classes, to detect a change of any of them. */
export function builtIns(): [string, unknown][] {
  return Object.getOwnPropertyNames(globalThis).flatMap((name): [string, unknown][] => {
    const value: unknown = Object.getOwnPropertyDescriptor(globalThis, name)?.value;
    if (typeof value !== "function") return [];
    const prototype: unknown = Reflect.get(value, "prototype");
    const methods = typeof prototype === "object" && prototype !== null ? Reflect.ownKeys(prototype) : [];
    return [[name, [value.name, Reflect.ownKeys(value), methods]]];
  });
}
