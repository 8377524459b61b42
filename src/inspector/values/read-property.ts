/** Stands for what a value has, but what can't be shown. */
export class Unread {
  /** What to show instead. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Stands for the value of an accessor. Reading it would run code of the application. */
const ACCESSOR = new Unread("an accessor, which was not run");
/** Stands for an element that an array does not have. */
export const HOLE = new Unread("empty");

/** Returns an own property. It never runs a getter. */
export function readOwn(target: object, key: PropertyKey): unknown {
  const property = Object.getOwnPropertyDescriptor(target, key);
  if (property === undefined) return undefined;
  if (!("value" in property)) return ACCESSOR;
  const value: unknown = property.value;
  return value;
}

/** Returns a property of an object or of its prototypes. It never runs a getter, and returns `undefined` for one. */
export function readInherited(target: object, key: PropertyKey): unknown {
  for (let owner: object | null = target; owner !== null; owner = Reflect.getPrototypeOf(owner)) {
    if (!Object.hasOwn(owner, key)) continue;
    const value = readOwn(owner, key);
    return value === ACCESSOR ? undefined : value;
  }
  return undefined;
}
