import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CompiledProgram } from "../../../test-support/compiled-program.js";
import { startEmbeddedServer } from "../../../test-support/embedded-server.js";
import { PostgresCache } from "../../../src/cache/index.js";
import { PostgresSaver } from "../../../src/index.js";
import { PostgresStore } from "../../../src/store/index.js";
import { nowMs } from "../../chaos/clock.js";
import { ROLE } from "../../chaos/faults/server-faults.js";
import { Random } from "../../chaos/random.js";
import { Admin } from "../../chaos/run/admin.js";
import { checkSoak, overdue } from "../laws/check-soak.js";
import { SoakHistory } from "../laws/soak-history.js";
import type { SoakArguments } from "./parse-arguments.js";
import { readSnapshot } from "./read-snapshot.js";
import { FROZEN_MS, LOCKED_MS, SOAK_FAULTS, type SoakScene } from "./soak-faults.js";
import { CLIENT, SoakProcess } from "./soak-process.js";

/** The result of a soak. */
export interface SoakRun {
  readonly history: SoakHistory;
  /** How often each fault has happened. */
  readonly faults: ReadonlyMap<string, number>;
  readonly findings: readonly string[];
}

/** How long the retries of a statement go on by default, in milliseconds. */
const RETRIED_MS = 15_000;

/**
 * Nobody waits longer, in milliseconds: a turn meets its process frozen, a lock, and a server that is gone and comes back. The rest is for a
 * busy machine.
 */
const BOUND_MS = FROZEN_MS + LOCKED_MS + RETRIED_MS + 17_000;
const LOOK_MS = 1_000;
const MINUTE_MS = 60_000;
const LONGEST_CALM_MS = 10_000;

/** Lets users work while faults happen, and checks what they were promised. */
export async function runSoak(
  { minutes, users, processes: count, seed }: SoakArguments,
  print: (line: string) => void,
): Promise<SoakRun> {
  const program = await CompiledProgram.compile(CLIENT);
  const folder = await mkdtemp(join(tmpdir(), "checkpoint-soak-"));
  const archive = join(folder, "archive");
  const server = await startEmbeddedServer();
  const { url, adminUrl } = await createDatabase(server.url);
  const random = new Random(seed);
  const processes = Array.from(
    { length: count },
    (_, number) =>
      new SoakProcess(program, number, {
        ...{ url, archive, dist: new URL("../../../dist/", import.meta.url).pathname },
        loadedBy: number % 2 === 0 ? "import" : "require",
        journal: join(folder, `journal-${number}`),
        users: Array.from({ length: users }, (_user, user) => user).filter((user) => user % count === number),
        seed: random.between(0, 2 ** 31),
      }),
  );
  const history = new SoakHistory();
  const scene: SoakScene = { server, admin: new Admin(adminUrl), random, processes, history };
  const watch = new Watch(scene, print);
  try {
    for (const one of processes) await one.start();
    const watching = watch.run();
    const faults = await injectUntil(nowMs() + minutes * MINUTE_MS, scene, watch);
    if (!watch.hasFound()) await Promise.race([Promise.all(processes.map((one) => one.finish())), watching]);
    watch.stop();
    await watching;
    const exits = processes.flatMap((one) => one.exits);
    const findings = [...exits, ...watch.findings];
    // While users wait, their last turns are missing as well.
    if (findings.length > 0) return { history, faults, findings };
    print("all users have ended; checking");
    const snapshot = await readSnapshot(history, { url, archive });
    return { history, faults, findings: checkSoak(history, snapshot, users) };
  } finally {
    watch.stop();
    for (const one of processes) await one.kill();
    await server.remove();
    await program.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

async function injectUntil(end: number, scene: SoakScene, watch: Watch): Promise<Map<string, number>> {
  const { random } = scene;
  const counts = new Map<string, number>();
  while (nowMs() < end && !watch.hasFound()) {
    for (const fault of random.shuffle(SOAK_FAULTS)) {
      await sleep(Math.min(random.between(0, LONGEST_CALM_MS), Math.max(0, end - nowMs())));
      if (nowMs() >= end || watch.hasFound()) break;
      watch.fault = fault.name;
      await fault.inject(scene);
      watch.fault = "none";
      counts.set(fault.name, (counts.get(fault.name) ?? 0) + 1);
    }
  }
  return counts;
}

/** Follows the journals, and finds who waits for too long. */
class Watch {
  readonly findings: string[] = [];
  /** The fault that happens now. */
  fault = "none";
  readonly #scene: SoakScene;
  readonly #print: (line: string) => void;
  readonly #began = nowMs();
  #isStopped = false;

  constructor(scene: SoakScene, print: (line: string) => void) {
    this.#scene = scene;
    this.#print = print;
  }

  /** Asked again and again, while the findings grow. */
  hasFound(): boolean {
    return this.findings.length > 0;
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Ends when it is stopped, or has found something. */
  async run(): Promise<void> {
    let printed = nowMs();
    while (!this.#isStopped && !this.hasFound()) {
      await sleep(LOOK_MS);
      this.#catchUp();
      await this.#judge();
      if (nowMs() - printed < MINUTE_MS) continue;
      printed += MINUTE_MS;
      this.#print(this.#progress());
    }
    this.#catchUp();
  }

  #catchUp(): void {
    const { processes, history } = this.#scene;
    for (const { journal } of processes) for (const entry of journal.read()) history.apply(entry);
  }

  async #judge(): Promise<void> {
    const { processes, history } = this.#scene;
    const late = overdue(history, nowMs(), BOUND_MS);
    const [worst] = late;
    if (history.violations.length > 0) this.findings.push(...history.violations);
    if (worst === undefined) return;
    const explanations = await Promise.all(
      processes.map(async (one) => `${one.name}: ${await one.explain()}`),
    );
    this.findings.push(
      ...late.map(
        ({ action, kind, how, user, thread, at }) =>
          `user ${user} waits for the ${kind} ${action} (${how}) of thread "${thread}" for ${Math.round(nowMs() - at)} ms, at the fault: ${this.fault}`,
      ),
      ...explanations,
    );
  }

  #progress(): string {
    const { counts, pending, longestMs, threads } = this.#scene.history;
    const minutes = Math.round((nowMs() - this.#began) / MINUTE_MS);
    return `${minutes} min: ${counts.turns} turns, ${counts.cancelled} cancelled, ${counts.failed} failed, ${threads.size} threads, ${pending.size} pending, longest ${Math.round(longestMs)} ms`;
  }
}

// The load is not a superuser, as in production.
async function createDatabase(
  serverUrl: string,
): Promise<{ readonly url: string; readonly adminUrl: string }> {
  const admin = new Admin(serverUrl);
  await admin.query(`create role ${ROLE} login password '${ROLE}'`);
  await admin.query(`create database ${ROLE} owner ${ROLE}`);
  const adminUrl = new URL(serverUrl);
  adminUrl.pathname = `/${ROLE}`;
  const url = new URL(adminUrl);
  Object.assign(url, { username: ROLE, password: ROLE });
  await using saver = new PostgresSaver(url.href);
  await using store = new PostgresStore(url.href);
  await using cache = new PostgresCache(url.href);
  await saver.setup();
  await store.setup();
  await cache.setup();
  return { url: url.href, adminUrl: adminUrl.href };
}
