import { isArray, isObject, isRecord } from "../../serde/objects/inspect-object.js";
import { readOwn } from "./read-property.js";

/** The most parts of a schema with its references expanded: schemas, keywords, and the values of these. */
const MAX_PARTS = 2_000;
/** The most characters of its names and texts. */
const MAX_CHARACTERS = 100_000;
/** The most schemas and values around a part. */
const MAX_DEPTH = 32;

/** A schema that is small, and has neither references nor patterns. */
export interface BoundedSchema {
  readonly schema: Record<string, unknown>;
  /** How many parts it has. */
  readonly parts: number;
}

/**
 * Copies a JSON Schema that was stored, as far as values can be checked by it in a bounded time. Its references are expanded: thirty that
 * are nested in pairs stand for a billion schemas. Its patterns are left out, since a few characters keep an engine that backtracks busy
 * for years. So the copy accepts whatever the schema does, and maybe more.
 *
 * @returns `undefined` for a schema that is too large or too deep, contains itself, or has references to elsewhere.
 */
export function boundedSchema(schema: unknown): BoundedSchema | undefined {
  const copier = new SchemaCopier(schema);
  try {
    const copy = copier.copy(schema, 0);
    return isRecord(copy) ? { schema: copy, parts: copier.parts } : undefined;
  } catch (error) {
    if (error instanceof Unbounded) return undefined;
    throw error;
  }
}

/** The schema is none that can be checked here. */
class Unbounded extends Error {}

/** The keywords that hold a schema, or a list of them. */
const SCHEMAS = new Set([
  ...["anyOf", "oneOf", "allOf", "items", "prefixItems", "contains"],
  ...["additionalItems", "additionalProperties", "propertyNames"],
]);
/** The keywords that hold a value. Any other one, such as `title`, says nothing about what fits. */
const VALUES = new Set([
  ...["type", "enum", "const", "default", "format", "required", "minProperties", "maxProperties"],
  ...["minItems", "maxItems", "uniqueItems", "minContains", "minLength", "maxLength", "multipleOf"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  // Zod reads no schema with one of these, except `not: {}`.
  ...["not", "if", "then", "else", "dependentSchemas", "dependentRequired"],
  ...["unevaluatedItems", "unevaluatedProperties"],
]);
/** More items may fit the copy of `contains`. */
const OMITTED = new Set(["pattern", "patternProperties", "maxContains"]);

class SchemaCopier {
  readonly #root: unknown;
  /** The references that are being expanded. */
  readonly #expanding = new Set<string>();
  #parts = 0;
  #characters = 0;
  /** How many constraints were left out. */
  #omitted = 0;

  constructor(root: unknown) {
    this.#root = root;
  }

  get parts(): number {
    return this.#parts;
  }

  copy(schema: unknown, depth: number): unknown {
    this.#count("", depth);
    if (typeof schema === "boolean") return schema;
    if (!isRecord(schema)) throw new Unbounded();
    const reference = readOwn(schema, "$ref");
    if (typeof reference === "string") return this.#copyOfTarget(schema, reference, depth);
    return this.#copyOfFields(schema, depth, (name, value) =>
      this.#copyOfKeyword(schema, name, value, depth + 1),
    );
  }

  /** What stands beside a reference is left out, as older drafts want it and zod does. */
  #copyOfTarget(schema: Readonly<Record<string, unknown>>, reference: string, depth: number): unknown {
    this.#count(reference, depth);
    if (this.#expanding.has(reference)) throw new Unbounded();
    this.#expanding.add(reference);
    if (Object.keys(schema).length > 1) this.#omitted += 1;
    const target = this.copy(targetOf(this.#root, reference), depth + 1);
    this.#expanding.delete(reference);
    if (!Object.hasOwn(schema, "default")) return target;
    return { allOf: [target], default: this.#copyOfValue(schema.default, depth + 1) };
  }

  #copyOfKeyword(
    schema: Readonly<Record<string, unknown>>,
    name: string,
    value: unknown,
    depth: number,
  ): readonly [string, unknown] | undefined {
    if (OMITTED.has(name)) {
      this.#omitted += 1;
      return undefined;
    }
    // It is about the names that no pattern has.
    if (name === "additionalProperties" && Object.hasOwn(schema, "patternProperties")) return undefined;
    if (name === "properties") return [name, this.#copyOfProperties(value, depth)];
    // Zod converts the properties again for each type of a list.
    if (name === "type" && isArray(value)) return [name, this.#copyOfValue([...new Set(value)], depth)];
    if (VALUES.has(name)) return [name, this.#copyOfValue(value, depth)];
    if (!SCHEMAS.has(name)) return undefined;
    const omitted = this.#omitted;
    const copy = isArray(value) ? value.map((each) => this.copy(each, depth)) : this.copy(value, depth);
    if (name !== "oneOf" || omitted === this.#omitted) return [name, copy];
    // A value may fit several of the copies.
    return Object.hasOwn(schema, "anyOf") ? undefined : ["anyOf", copy];
  }

  #copyOfProperties(value: unknown, depth: number): unknown {
    if (!isRecord(value)) throw new Unbounded();
    return this.#copyOfFields(value, depth, (name, schema) => [name, this.copy(schema, depth)]);
  }

  #copyOfValue(value: unknown, depth: number): unknown {
    this.#count(value, depth);
    if (isArray(value)) return value.map((item) => this.#copyOfValue(item, depth + 1));
    if (isRecord(value))
      return this.#copyOfFields(value, depth, (name, field) => [name, this.#copyOfValue(field, depth + 1)]);
    if (isObject(value)) throw new Unbounded();
    return value;
  }

  /** By entries, so that `__proto__` is a name as any other. */
  #copyOfFields(
    value: Readonly<Record<string, unknown>>,
    depth: number,
    copyOf: (name: string, field: unknown) => readonly [string, unknown] | undefined,
  ): Record<string, unknown> {
    const copied = Object.keys(value).flatMap((name) => {
      this.#count(name, depth);
      const copy = copyOf(name, readOwn(value, name));
      return copy === undefined ? [] : [copy];
    });
    return Object.fromEntries(copied);
  }

  #count(part: unknown, depth: number): void {
    this.#parts += 1;
    if (typeof part === "string") this.#characters += part.length;
    if (this.#parts > MAX_PARTS || this.#characters > MAX_CHARACTERS || depth > MAX_DEPTH)
      throw new Unbounded();
  }
}

/** What a JSON Pointer such as `#/$defs/order` leads to. */
function targetOf(root: unknown, reference: string): unknown {
  const [start, ...names] = reference.split("/");
  if (start !== "#") throw new Unbounded();
  return names.reduce<unknown>(
    (target, name) =>
      isObject(target) ? readOwn(target, name.replaceAll("~1", "/").replaceAll("~0", "~")) : undefined,
    root,
  );
}
