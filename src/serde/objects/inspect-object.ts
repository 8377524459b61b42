/** Reads a property as a value of unknown type, and calls it if it is a getter. */
export function readProperty(target: object, key: PropertyKey): unknown {
  const value: unknown = Reflect.get(target, key);
  return value;
}

/** Sets an own property of any name. Assigning `__proto__` would replace the prototype instead. */
export function defineOwn(target: object, key: PropertyKey, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** The own enumerable properties with string keys, in order. */
export function ownEntries(target: object): [string, unknown][] {
  const entries: [string, unknown][] = [];
  for (const key of Object.keys(target)) entries.push([key, readProperty(target, key)]);
  return entries;
}

/**
 * The own enumerable symbol keys that mean something. No format can store their values. A symbol whose value is `true` only brands the
 * object, as LangChain brands its messages: a copy by spreading has the brand too. It is left out.
 */
export function ownSymbols(target: object): symbol[] {
  const symbols = Object.getOwnPropertySymbols(target);
  // Nearly every object has none, and a message has its brand.
  return symbols.length === 0
    ? symbols
    : symbols.filter((symbol) => isEnumerable(target, symbol) && readProperty(target, symbol) !== true);
}

/** The first of {@link ownSymbols} other than `known`, as text. */
export function extraSymbol(target: object, known?: symbol): string | undefined {
  return ownSymbols(target)
    .find((symbol) => symbol !== known)
    ?.toString();
}

/** The first own enumerable property, as text. Writing only the content of `target` would lose it. */
export function extraProperty(target: object): string | undefined {
  return Object.keys(target)[0] ?? extraSymbol(target);
}

/** Whether an own property is enumerable. */
export function isEnumerable(target: object, key: PropertyKey): boolean {
  return Object.prototype.propertyIsEnumerable.call(target, key);
}

/** The prototype of an object. */
export function prototypeOf(target: object): object | null {
  return Reflect.getPrototypeOf(target);
}

/**
 * The length of an object's prototype chain: 1 for a literal, 2 for an instance of a class that extends nothing, such as Map,
 * and more for an instance of a subclass. Unlike a comparison with `Map.prototype`, it works for objects of other realms.
 */
export function prototypeDepth(target: object): number {
  let depth = 0;
  for (let proto = prototypeOf(target); proto !== null; proto = prototypeOf(proto)) depth += 1;
  return depth;
}

/** The name of the class that an object is an instance of. */
export function classNameOf(target: object): string {
  const proto = prototypeOf(target);
  const constructor = proto === null ? undefined : readProperty(proto, "constructor");
  return typeof constructor === "function" && constructor.name !== "" ? constructor.name : "(anonymous)";
}

/**
 * Whether an object is an instance of the built-in class `name`, and not of a subclass. It compares the class's name and the
 * length of the prototype chain, so that it accepts the built-in classes of another realm, such as a `vm` context.
 */
export function isExactly(target: object, name: string, depth: number): boolean {
  return classNameOf(target) === name && prototypeDepth(target) === depth;
}
