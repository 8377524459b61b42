import type { OnNotification } from "../sessions/connect-like-pool.js";
import type { ListeningConnection } from "./listening-connection.js";

/** The members of PGlite that Kysely's interface leaves out. */
export interface ListeningPGlite {
  listen(channel: string, onNotification: (payload: string) => void): Promise<unknown>;
  unlisten(channel: string): Promise<void>;
}

/** Listens on an instance of PGlite, whose one connection receives all notifications. */
export function listenOnPGlite(pglite: ListeningPGlite, onNotification: OnNotification): ListeningConnection {
  return {
    // PGlite has no connection to lose.
    lost: new AbortController().signal,
    change: async ({ listen, unlisten }) => {
      for (const channel of unlisten) await pglite.unlisten(channel);
      for (const channel of listen) {
        await pglite.listen(channel, (payload) => {
          onNotification(channel, payload);
        });
      }
    },
    close: () => Promise.resolve(),
  };
}
