import type { HearNotification } from "../locks/client-connection.js";
import type { ListeningConnection } from "./listening-connection.js";

/** What PGlite has beside what Kysely needs of it. */
export interface ListeningPGlite {
  listen(channel: string, hear: (payload: string) => void): Promise<unknown>;
  unlisten(channel: string): Promise<void>;
}

/** Listens on an instance of PGlite, whose one connection hears all that is told in it. */
export function listenOnPGlite(pglite: ListeningPGlite, hear: HearNotification): ListeningConnection {
  return {
    // It has no connection to lose.
    lost: new AbortController().signal,
    change: async ({ listen, unlisten }) => {
      for (const channel of unlisten) await pglite.unlisten(channel);
      for (const channel of listen) {
        await pglite.listen(channel, (payload) => {
          hear(channel, payload);
        });
      }
    },
    close: () => Promise.resolve(),
  };
}
