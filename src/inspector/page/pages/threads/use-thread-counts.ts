import { useQuery } from "@tanstack/preact-query";
import type { ThreadCounts } from "../../../api/threads.js";
import { read } from "../../server/call-server.js";

const REFRESH_MS = 5_000;

/** Counts the threads in each state, again and again: less often where that takes long. */
export function useThreadCounts(): ThreadCounts | undefined {
  const { data } = useQuery<ThreadCounts & { readonly tookMs: number }>({
    queryKey: ["threadCounts"],
    queryFn: async ({ signal }) => {
      const start = Date.now();
      const counts = await read("threadCounts", {}, signal);
      return { ...counts, tookMs: Date.now() - start };
    },
    refetchInterval: ({ state }) => Math.max(REFRESH_MS, 20 * (state.data?.tookMs ?? 0)),
  });
  return data;
}
