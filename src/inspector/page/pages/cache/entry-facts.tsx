import type { CacheEntryRow } from "../../../api/cache.js";
import { formatBytes } from "../../parts/number-texts.js";
import { Time } from "../../parts/time.js";

/** The age, the time to live and the size of an entry. */
export function EntryFacts({ entry }: { readonly entry: CacheEntryRow }) {
  const { createdAt, expiresAt, isExpired, bytes } = entry;
  return (
    <span class="dim cache-facts">
      stored <Time at={createdAt} />,{" "}
      {expiresAt === undefined ? (
        "lives for ever"
      ) : (
        <>
          {isExpired ? "expired" : "expires"} <Time at={expiresAt} />
        </>
      )}
      , {formatBytes(bytes)}
    </span>
  );
}
