import type { AgentMiddleware } from "langchain";

type Made = readonly [make: (options: never) => unknown, options?: Readonly<Record<string, unknown>>];

/**
 * LangChain's middleware with their options, as the type that its agents take. The declarations of most allow no options and do not fit
 * that type where TypeScript's `exactOptionalPropertyTypes` is on.
 */
export function middlewareOf(...all: readonly Made[]): AgentMiddleware[] {
  return all
    .map(([make, options]): unknown => Reflect.apply(make, undefined, [options]))
    .filter(isMiddleware);
}

function isMiddleware(value: unknown): value is AgentMiddleware {
  return typeof value === "object" && value !== null && "name" in value;
}
