import { idsFrom, timeInId } from "../../saver/model/checkpoint-time.js";
import { selectLaterCheckpoints } from "../../watch/watched-checkpoints.js";
import type { CheckpointPlace } from "../api/places.js";
import type { WatchEvent } from "../api/threads.js";
import type { CallRun } from "../calls/call-definition.js";
import { getPoints, type PointRow } from "../queries/get-history-points.js";
import { listNamespacesOfThread } from "../queries/namespaces-of-thread.js";
import { pointsOf } from "../states/point-of.js";

/** How many checkpoint keys one statement reads. */
const PAGE_SIZE = 500;
/** A checkpoint may commit later than another one with a larger id. */
const OVERLAP_MS = 10_000;
/** Of how many namespaces the writes of the newest checkpoint are followed. */
const MAX_FOLLOWED = 8;
/** How many checkpoints one statement describes. */
const MAX_DESCRIBED = 500;

/** Finds what is new in a thread, from one look to the next. */
export class ThreadNews {
  readonly #run: Pick<CallRun, "call" | "context">;
  readonly #threadId: string;
  /** The largest id that was seen. */
  #newest = "";
  /**
   * What was last said of the followed checkpoints, and of all that the next look finds again; `""` of one that was there before. As many
   * checkpoints as were stored within {@link OVERLAP_MS} have to be known: a look would take any other for a new one.
   */
  readonly #said = new Map<string, string>();
  /** The newest checkpoint by namespace; the one that was stored last is the last. */
  readonly #followed = new Map<string, string>();

  constructor(run: Pick<CallRun, "call" | "context">, threadId: string) {
    this.#run = run;
    this.#threadId = threadId;
  }

  /** Returns the newest checkpoints of the namespaces that were written last. Call it first. */
  async begin(): Promise<WatchEvent[]> {
    const rows = await listNamespacesOfThread(this.#run.call, {
      threadId: this.#threadId,
      limit: MAX_FOLLOWED,
    });
    const inOrder = rows.sort((a, b) => (a.checkpoint_id < b.checkpoint_id ? -1 : 1));
    for (const row of inOrder) this.#follow(row.checkpoint_ns, row.checkpoint_id);
    // One that was stored meanwhile is for the first look.
    const earlier = (await this.#laterPlaces()).filter(({ checkpointId }) => checkpointId <= this.#newest);
    for (const place of earlier) this.#said.set(keyOf(place), "");
    return this.#eventsOf(this.#followedPlaces());
  }

  /** Returns the checkpoints that were stored since the last look, and the newest ones if they have other writes now. */
  async look(): Promise<WatchEvent[]> {
    const later = await this.#laterPlaces();
    const stored = later.filter((place) => !this.#said.has(keyOf(place)));
    for (const { namespace, checkpointId } of stored) this.#follow(namespace, checkpointId);
    const places = new Map([...stored, ...this.#followedPlaces()].map((place) => [keyOf(place), place]));
    const events = await this.#eventsOf([...places.values()]);
    this.#forgetAllBut([...later, ...this.#followedPlaces()]);
    return events;
  }

  async #laterPlaces(): Promise<CheckpointPlace[]> {
    const time = timeInId(this.#newest)?.getTime();
    let floor = time === undefined ? this.#newest : idsFrom(new Date(time - OVERLAP_MS));
    const places: CheckpointPlace[] = [];
    for (;;) {
      const known = { namespaces: [], ids: [], floor, limit: PAGE_SIZE };
      const scope = { threadId: this.#threadId, checkpointNs: undefined };
      const page = await selectLaterCheckpoints(this.#run.call, scope, known);
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
    const rows: PointRow[] = [];
    for (let start = 0; start < places.length; start += MAX_DESCRIBED) {
      rows.push(...(await getPoints(this.#run.call, places.slice(start, start + MAX_DESCRIBED))));
    }
    const points = await pointsOf(this.#run, this.#threadId, rows);
    return points.flatMap((point, index) => {
      const namespace = rows[index]?.checkpoint_ns ?? "";
      const key = keyOf({ namespace, checkpointId: point.checkpointId });
      const said = JSON.stringify([point.writes, point.interrupted, point.failed]);
      if (this.#said.get(key) === said) return [];
      this.#said.set(key, said);
      return [{ threadId: this.#threadId, namespace, point }];
    });
  }

  #forgetAllBut(places: readonly CheckpointPlace[]): void {
    const kept = new Set(places.map(keyOf));
    for (const key of this.#said.keys()) {
      if (!kept.has(key)) this.#said.delete(key);
    }
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
