import type { SaverCall } from "../../saver/call/saver-call.js";
import { idsFrom, timeInId } from "../../saver/model/checkpoint-time.js";
import { selectLaterCheckpoints } from "../../watch/queries/select-later-checkpoints.js";
import type { CheckpointPlace } from "../api/places.js";
import type { WatchEvent } from "../api/threads.js";
import { getPoints } from "../queries/get-history-points.js";
import { listNamespaces } from "../queries/list-namespaces.js";
import { pointOf } from "../states/point-of.js";

/** How many checkpoint keys one statement reads. */
const PAGE_SIZE = 500;
/** A checkpoint may commit later than another one with a larger id. */
const OVERLAP_MS = 10_000;
/** Of how many namespaces the writes of the newest checkpoint are followed. */
const MAX_FOLLOWED = 8;
const MAX_REMEMBERED = 5_000;

/** Finds what is new in a thread, from one look to the next. */
export class ThreadNews {
  readonly #call: SaverCall;
  readonly #threadId: string;
  /** The largest id that was seen. */
  #newest = "";
  /** What was last said of each checkpoint; `""` of one that was there before. */
  readonly #said = new Map<string, string>();
  /** The newest checkpoint by namespace; the one that was stored last is the last. */
  readonly #followed = new Map<string, string>();

  constructor(call: SaverCall, threadId: string) {
    this.#call = call;
    this.#threadId = threadId;
  }

  /** Returns the newest checkpoints of the namespaces that were written last. Call it first. */
  async begin(): Promise<WatchEvent[]> {
    const rows = await listNamespaces(this.#call, { threadId: this.#threadId, limit: MAX_FOLLOWED });
    const inOrder = rows.sort((a, b) => (a.checkpoint_id < b.checkpoint_id ? -1 : 1));
    for (const row of inOrder) this.#follow(row.checkpoint_ns, row.checkpoint_id);
    for (const place of await this.#laterPlaces()) this.#remember(keyOf(place), "");
    return this.#eventsOf(this.#followedPlaces());
  }

  /** Returns the checkpoints that were stored since the last look, and the newest ones if they have other writes now. */
  async look(): Promise<WatchEvent[]> {
    const stored = (await this.#laterPlaces()).filter((place) => !this.#said.has(keyOf(place)));
    for (const { namespace, checkpointId } of stored) this.#follow(namespace, checkpointId);
    const places = new Map([...stored, ...this.#followedPlaces()].map((place) => [keyOf(place), place]));
    return this.#eventsOf([...places.values()]);
  }

  async #laterPlaces(): Promise<CheckpointPlace[]> {
    const time = timeInId(this.#newest)?.getTime();
    let floor = time === undefined ? this.#newest : idsFrom(new Date(time - OVERLAP_MS));
    const places: CheckpointPlace[] = [];
    for (;;) {
      const known = { namespaces: [], ids: [], floor, limit: PAGE_SIZE };
      const scope = { threadId: this.#threadId, checkpointNs: undefined };
      const page = await selectLaterCheckpoints(this.#call, scope, known);
      for (const { checkpointNs, checkpointId } of page)
        places.push(this.#placeOf(checkpointNs, checkpointId));
      const last = page.at(-1)?.checkpointId;
      if (page.length < PAGE_SIZE || last === undefined) return places;
      floor = last;
    }
  }

  #follow(namespace: string, checkpointId: string): void {
    if (checkpointId > this.#newest) this.#newest = checkpointId;
    if (checkpointId < (this.#followed.get(namespace) ?? "")) return;
    this.#followed.delete(namespace);
    this.#followed.set(namespace, checkpointId);
    dropFirst(this.#followed, MAX_FOLLOWED);
  }

  #followedPlaces(): CheckpointPlace[] {
    return [...this.#followed].map(([namespace, checkpointId]) => this.#placeOf(namespace, checkpointId));
  }

  async #eventsOf(places: readonly CheckpointPlace[]): Promise<WatchEvent[]> {
    if (places.length === 0) return [];
    const rows = await getPoints(this.#call, places);
    return rows.flatMap((row) => {
      const key = keyOf({ namespace: row.checkpoint_ns, checkpointId: row.checkpoint_id });
      const point = pointOf(row);
      const said = JSON.stringify([point.writes, point.interrupted, point.failed]);
      if (this.#said.get(key) === said) return [];
      this.#remember(key, said);
      return [{ threadId: this.#threadId, namespace: row.checkpoint_ns, point }];
    });
  }

  #remember(key: string, said: string): void {
    this.#said.delete(key);
    this.#said.set(key, said);
    dropFirst(this.#said, MAX_REMEMBERED);
  }

  #placeOf(namespace: string, checkpointId: string): CheckpointPlace {
    return { threadId: this.#threadId, namespace, checkpointId };
  }
}

function keyOf({ namespace, checkpointId }: Omit<CheckpointPlace, "threadId">): string {
  return `${namespace}\0${checkpointId}`;
}

/** Drops the entries that were set first. */
function dropFirst(map: Map<string, string>, max: number): void {
  for (const key of map.keys()) {
    if (map.size <= max) return;
    map.delete(key);
  }
}
