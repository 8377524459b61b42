import { InvalidConfigError } from "../../errors.js";
import { encodeJsonb } from "../codec/encode-jsonb.js";

/**
 * The JSON text that metadata has to contain; `undefined` where a filter asks for nothing.
 *
 * @throws InvalidConfigError for a value that got lost on its way: without it the filter would match what it was to leave
 *   out.
 */
export function encodeFilter(
  filter: Readonly<Record<string, unknown>> | undefined,
  name: string,
): string | undefined {
  if (filter === undefined || Object.keys(filter).length === 0) return undefined;
  // First, since it ends on a cycle and lets nothing out that a getter throws.
  const json = encodeJsonb(filter, name);
  refuseUndefined(filter, name);
  return JSON.stringify(json);
}

function refuseUndefined(value: unknown, path: string): void {
  if (value === undefined) throw new InvalidConfigError(path, "must not be undefined");
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) refuseUndefined(inner, `${path}.${key}`);
}
