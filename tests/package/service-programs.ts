/**
 * Programs that use a default saver as a busy service does, one for each module system: many threads at once, and on each of them calls
 * that it does not await, values on both sides of what may share a statement, and calls whose signal aborts. They print how many
 * calls have settled, and how often each thread could store and read a checkpoint afterwards. Their argument is the connection string of
 * an empty database.
 */
export const SERVICE_PROGRAMS = {
  "import.mjs": serviceProgram((path) => `await import(${path})`),
  "require.cjs": serviceProgram((path) => `require(${path})`),
};

/** What the programs print where all is well. */
export const ALL_SETTLED = '{"settled":300,"usable":60}\n';

function serviceProgram(load: (path: string) => string): string {
  return `
async function main() {
  const { PostgresSaver } = ${load('"langgraph-checkpoint-kysely"')};
  const { uuid6 } = ${load('"@langchain/langgraph-checkpoint"')};
  const saver = PostgresSaver.fromConnString(process.argv[2]);
  await saver.setup();
  const configs = Array.from({ length: 60 }, (_, index) => ({
    configurable: { thread_id: "thread " + index, checkpoint_ns: "" },
  }));
  let clock = 0;
  const put = (config, text, options) => {
    const version = saver.getNextVersion(undefined);
    const checkpoint = {
      ...{ v: 4, id: uuid6(++clock), ts: new Date().toISOString(), versions_seen: {} },
      ...{ channel_values: { text }, channel_versions: { text: version } },
    };
    return saver.put(config, checkpoint, { source: "loop", step: 1, parents: {} }, { text: version }, options);
  };
  const calls = configs.flatMap((config) => {
    const run = new AbortController();
    const { signal } = run;
    const written = { configurable: { ...config.configurable, checkpoint_id: uuid6(++clock) } };
    const made = [
      saver.putWrites(written, [["text", "small"]], uuid6(0)),
      put(config, "x".repeat(100_000)),
      put(config, "small"),
      put(config, "small", { signal }),
      saver.getTuple({ ...config, signal }),
    ];
    setImmediate(() => run.abort());
    return made;
  });
  const { length: settled } = await Promise.allSettled(calls);
  const read = await Promise.all(
    configs.map(async (config) => saver.getTuple(await put(config, "afterwards"))),
  );
  const usable = read.filter((tuple) => tuple.checkpoint.channel_values.text === "afterwards").length;
  await saver.end();
  console.log(JSON.stringify({ settled, usable }));
}
// A call that never settles would keep the program running.
setTimeout(() => process.exit(1), 60_000).unref();
main();
`;
}
