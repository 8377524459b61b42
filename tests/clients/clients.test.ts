import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { CompiledProgram } from "../../test-support/compiled-program.js";
import { IS_LONG } from "../../test-support/runs.js";
import { describeServer } from "../../test-support/targets.js";
import { CLIENTS } from "./clients.js";
import { comparable } from "./comparable.js";
import { openPostgres } from "./open-postgres.js";
import { readWhole } from "./read-whole.js";

/** The gate tries the first phases of these clients. `npm run test:clients` tries all of every one. */
const IN_GATE = ["createAgent", "createEmbedServer with useStream"];
const PHASES_IN_GATE = 2;
const TRIED = Object.keys(CLIENTS).filter((name) => IS_LONG || IN_GATE.includes(name));

/** What the phases of a process have returned. */
type Printed = readonly { readonly result: unknown }[];

describeServer("a client", (target) => {
  let program: CompiledProgram;
  let url: string;
  beforeAll(async () => {
    program = await CompiledProgram.compile(
      new URL("run-phase.ts", import.meta.url),
      /^(?!@oxc-project\/)[@\w]/,
    );
    ({ source: url } = await target.sharedDatabase());
    await using postgres = openPostgres(url);
    await postgres.setup();
  });
  afterAll(() => program.remove());

  async function run(...args: readonly string[]): Promise<Printed> {
    const { code, output, errors } = await program.run(...args);
    if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${errors}`);
    return JSON.parse(output.split("\n").at(-1) ?? "") as Printed;
  }

  it.each(TRIED)(
    "has in processes of its own what it has with LangGraph's savers in one: %s",
    async (name) => {
      const client = CLIENTS[name];
      const thread = randomUUID();
      const phases = Object.keys(client?.phases ?? {}).slice(0, IS_LONG ? undefined : PHASES_IN_GATE);
      const inMemory = run(name, randomUUID(), "memory", ...phases);
      const results: unknown[] = [];
      for (const phase of phases) {
        const [printed] = await run(name, thread, url, phase);
        await using postgres = openPostgres(url);
        const place = { ...postgres.storage, thread };
        results.push({ ...printed, whole: client && (await readWhole(place, client.graphOf(place))) });
      }
      expect(comparable(results)).toEqual(comparable(await inMemory));
    },
  );
});
