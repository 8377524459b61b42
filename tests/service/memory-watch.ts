import { setInterval as every, setTimeout as sleep } from "node:timers/promises";
import type { ServiceProcess } from "./service-process.js";

const SAMPLE_MS = 5_000;
const COLLECT_MS = 500;
const TENTHS = 10;
const MEGABYTE = 2 ** 20;

/** Watches the heap of a process of the service by its metrics, each time after its garbage was collected. */
export class MemoryWatch {
  readonly #samples: number[] = [];
  readonly #end = new AbortController();
  readonly #watching: Promise<void>;

  constructor(service: ServiceProcess) {
    this.#watching = this.#watch(service);
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#watching;
  }

  /** The smallest heap in each tenth of the time, in megabytes: what is above it belongs to requests under way. */
  floors(): number[] {
    const bounds = Array.from({ length: TENTHS + 1 }, (_, tenth) =>
      Math.round((tenth * this.#samples.length) / TENTHS),
    );
    return bounds
      .slice(1)
      .map((end, tenth) => Math.round(Math.min(...this.#samples.slice(bounds[tenth], end)) / MEGABYTE));
  }

  async #watch(service: ServiceProcess): Promise<void> {
    const { signal } = this.#end;
    try {
      for await (const _ of every(SAMPLE_MS, undefined, { signal })) {
        service.signal("SIGUSR2");
        await sleep(COLLECT_MS, undefined, { signal });
        const heap = await heapOf(service.url);
        if (heap !== undefined) this.#samples.push(heap);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

/** A process that is paused tells nothing. */
async function heapOf(url: string): Promise<number | undefined> {
  try {
    const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(SAMPLE_MS) });
    const [, bytes] = /^process_memory_heap_used\S* (\d+)$/m.exec(await response.text()) ?? [];
    return bytes === undefined ? undefined : Number(bytes);
  } catch {
    return undefined;
  }
}
