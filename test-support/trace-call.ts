import { Session } from "node:inspector/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const SOURCES = new URL("../src/", import.meta.url).href;
const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** How often a call runs before it is traced: it then finds its connection, its statements and what it loads late. */
const WARM_UPS = 3;

/** How often a call is traced. What did not run each time was not part of it, but of something else in this process, such as a timer. */
const TRACES = 10;

/** What ran in a call: the number of its functions by the path of their file, such as `src/saver/put.ts`. */
export type CallTrace = ReadonlyMap<string, number>;

/**
 * Runs a warm call, and returns which files of `src` have run, with the number of their functions. V8 counts precisely meanwhile, which
 * makes everything in this process slower.
 *
 * @param call - It is called several times.
 */
export async function traceCall(call: () => Promise<unknown>): Promise<CallTrace> {
  for (let run = 0; run < WARM_UPS; run++) await call();
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    const traces: CallTrace[] = [];
    for (let run = 0; run < TRACES; run++) traces.push(await traceOnce(session, call));
    await session.post("Profiler.stopPreciseCoverage");
    return inEach(traces);
  } finally {
    session.disconnect();
  }
}

async function traceOnce(session: Session, call: () => Promise<unknown>): Promise<CallTrace> {
  // What the call before has left for the next turn is not a part of this one.
  await nextTurn();
  // Taking the counts sets them back to 0.
  await session.post("Profiler.takePreciseCoverage");
  await call();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const ran = result
    .filter(({ url }) => url.startsWith(SOURCES))
    .map(
      ({ url, functions }) =>
        [fileURLToPath(url).slice(ROOT.length), functions.filter(hasRun).length] as const,
    );
  return new Map(ran.filter(([, functions]) => functions > 0));
}

interface CountedFunction {
  readonly functionName: string;
  readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
}

/** Whether a function of the source has run. The module itself is a function without a name, at the start of its file. */
function hasRun({ functionName, ranges: [range] }: CountedFunction): boolean {
  if (range === undefined || range.count === 0) return false;
  // What esbuild adds to keep the names of functions.
  if (functionName === "__name") return false;
  return functionName !== "" || range.startOffset > 0;
}

function inEach([first = new Map(), ...others]: readonly CallTrace[]): CallTrace {
  return new Map([...first].filter(([file]) => others.every((trace) => trace.has(file))));
}
