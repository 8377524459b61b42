/**
 * The interface of Standard Schema (https://standardschema.dev), which zod, valibot, arktype and others implement. Only the part that a
 * store needs.
 */
export interface StandardSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    /** Checks a value, and returns it as the schema has it, or what is wrong with it. */
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
  };
}

/** The result of a validation: the value as the schema returns it, or what is wrong with it. */
export type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] };

/** Whether a value can be used as a {@link StandardSchema}: some are functions. */
export function isStandardSchema(value: unknown): boolean {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  const standard: unknown = Reflect.get(value, "~standard");
  return typeof standard === "object" && standard !== null && "validate" in standard;
}
