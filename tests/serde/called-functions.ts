import { type Profiler, Session } from "node:inspector/promises";

/**
 * Names the functions of a package that run during `work`, as the engine counts them. The package must have been loaded
 * before, or its modules' own code counts as well.
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
