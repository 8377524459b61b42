import { types } from "node:util";

/**
 * The path of the first place where two values differ in anything that a program could see: a number by `Object.is`,
 * a prototype, an own key or the order of keys, a hole, the insertion order of a Map. Undefined for equal values.
 */
export function firstDifference(a: unknown, b: unknown, path = "value"): string | undefined {
  if (Object.is(a, b)) return undefined;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return path;
  if (Reflect.getPrototypeOf(a) !== Reflect.getPrototypeOf(b)) return `the prototype of ${path}`;
  if (Object.prototype.toString.call(a) !== Object.prototype.toString.call(b)) return `the class of ${path}`;
  const inside = differenceInside(a, b, path);
  return inside ?? differenceOfProperties(a, b, path);
}

function differenceInside(a: object, b: object, path: string): string | undefined {
  if (types.isMap(a) && types.isMap(b)) return firstDifference([...a], [...b], `the entries of ${path}`);
  if (types.isSet(a) && types.isSet(b)) return firstDifference([...a], [...b], `the items of ${path}`);
  if (types.isDate(a) && types.isDate(b))
    return firstDifference(a.getTime(), b.getTime(), `the time of ${path}`);
  if (types.isRegExp(a) && types.isRegExp(b))
    return a.source === b.source && a.flags === b.flags ? undefined : path;
  if (a instanceof URL && b instanceof URL) return a.href === b.href ? undefined : path;
  if (types.isAnyArrayBuffer(a) && types.isAnyArrayBuffer(b)) return differenceOfBytes(a, b, path);
  if (ArrayBuffer.isView(a) && ArrayBuffer.isView(b)) return differenceOfViews(a, b, path);
  return undefined;
}

function differenceOfBytes(a: ArrayBufferLike, b: ArrayBufferLike, path: string): string | undefined {
  return Buffer.from(a).equals(Buffer.from(b)) ? undefined : `the bytes of ${path}`;
}

function differenceOfViews(a: ArrayBufferView, b: ArrayBufferView, path: string): string | undefined {
  const [left, right] = [a, b].map((view) => Buffer.from(view.buffer, view.byteOffset, view.byteLength));
  return left !== undefined && right?.equals(left) === true ? undefined : `the bytes of ${path}`;
}

/** Not enumerable ones too, such as an error's stack; a view's elements have been compared as bytes. */
function differenceOfProperties(a: object, b: object, path: string): string | undefined {
  if (ArrayBuffer.isView(a)) return undefined;
  const keys = Reflect.ownKeys(a);
  const others = Reflect.ownKeys(b);
  if (keys.length !== others.length || keys.some((key, index) => key !== others[index])) {
    return `the keys of ${path}`;
  }
  for (const key of keys) {
    const difference = differenceOfProperty(a, b, key, `${path}.${String(key)}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function differenceOfProperty(a: object, b: object, key: PropertyKey, path: string): string | undefined {
  if (isEnumerable(a, key) !== isEnumerable(b, key)) return `the descriptor of ${path}`;
  return firstDifference(Reflect.get(a, key), Reflect.get(b, key), path);
}

function isEnumerable(target: object, key: PropertyKey): boolean {
  return Object.prototype.propertyIsEnumerable.call(target, key);
}
