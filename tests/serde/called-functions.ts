import { type Profiler, Session } from "node:inspector/promises";

/**
 * Lists the functions of a package that run during `work`, from the coverage counts of V8. The package must be loaded already, or
 * the code of its modules counts too.
 *
 * @param folder - a part of the paths of the package's files
 */
export async function calledFunctions(folder: string, work: () => Promise<void>): Promise<string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await session.post("Profiler.takePreciseCoverage");
    await work();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    return result.filter(({ url }) => url.includes(folder)).flatMap(namesOfCalled);
  } finally {
    session.disconnect();
  }
}

function namesOfCalled({ url, functions }: Profiler.ScriptCoverage): string[] {
  return functions
    .filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
    .map(({ functionName }) => `${url.replace(/^.*@langchain\/core\/dist\//, "")} ${functionName}`);
}
