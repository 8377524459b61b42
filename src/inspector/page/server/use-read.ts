import { keepPreviousData, queryOptions, useQuery, type UseQueryResult } from "@tanstack/preact-query";
import type { ReadCalls, ReadName } from "../../api/inspector-api.js";
import { read } from "./call-server.js";

interface ReadSettings {
  /** Whether to read now. Default: true. */
  readonly enabled?: boolean;
  /** How often to read again, in milliseconds. Default: once. */
  readonly refreshMs?: number;
  /** Whether to return the answer for earlier arguments until there is one for these. Default: false. */
  readonly keepPrevious?: boolean;
}

/** What {@link useRead} reads, for a read that begins before a component needs it. */
export function queryOf<Name extends ReadName>(name: Name, args: ReadCalls[Name]["args"]) {
  return queryOptions({ queryKey: [name, args], queryFn: ({ signal }) => read(name, args, signal) });
}

/** Reads from the server, and remembers the answer while its arguments stay the same. */
export function useRead<Name extends ReadName>(
  name: Name,
  args: ReadCalls[Name]["args"],
  { enabled = true, refreshMs, keepPrevious = false }: ReadSettings = {},
): UseQueryResult<ReadCalls[Name]["result"]> {
  return useQuery({
    ...queryOf(name, args),
    enabled,
    ...(refreshMs !== undefined && { refetchInterval: refreshMs }),
    ...(keepPrevious && { placeholderData: keepPreviousData }),
  });
}
