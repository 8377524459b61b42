import {
  keepPreviousData,
  queryOptions,
  useQuery,
  type UseQueryResult,
  useQueryClient,
} from "@tanstack/preact-query";
import type { ReadCalls, ReadName } from "../../api/inspector-api.js";
import { read } from "./call-server.js";
import { useState } from "preact/hooks";

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

/** A read that takes long, so that a person starts it and may cancel it. */
interface SlowRead<Name extends ReadName> {
  readonly data: ReadCalls[Name]["result"] | undefined;
  readonly error: Error | null;
  readonly isReading: boolean;
  /** Reads, also where the answer is known already. */
  readonly start: () => void;
  /** Ends the read. The server ends its statement. */
  readonly cancel: () => void;
}

/** Reads from the server when a person asks for it, and remembers the answer while its arguments stay the same. */
export function useSlowRead<Name extends ReadName>(
  name: Name,
  args: ReadCalls[Name]["args"],
): SlowRead<Name> {
  const client = useQueryClient();
  const queryKey = [name, args];
  const [asked, setAsked] = useState("");
  const isAsked = asked === JSON.stringify(queryKey);
  const { data, error, isFetching } = useQuery({
    queryKey,
    queryFn: ({ signal }) => read(name, args, signal),
    enabled: isAsked,
    staleTime: Infinity,
    retry: false,
  });
  return {
    data,
    error: isAsked ? error : null,
    isReading: isFetching,
    start: () => {
      // A disabled query does not read by itself.
      if (data !== undefined || isAsked) void client.refetchQueries({ queryKey });
      setAsked(JSON.stringify(queryKey));
    },
    cancel: () => {
      setAsked("");
      void client.cancelQueries({ queryKey });
    },
  };
}
