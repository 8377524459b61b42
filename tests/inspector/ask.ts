import { createInspector, type Inspector, type InspectorOptions } from "../../src/inspector/index.js";
import type { CheckpointSaver } from "../../src/index.js";
import type { ReadCalls, ReadName, WriteCalls, WriteName } from "../../src/inspector/api/inspector-api.js";

/** Calls an inspector as its page does, without a server. */
export interface AskedInspector {
  readonly inspector: Inspector;
  /** Calls and expects an answer of status 200. */
  read<Name extends ReadName>(name: Name, args: ReadCalls[Name]["args"]): Promise<ReadCalls[Name]["result"]>;
  write<Name extends WriteName>(
    name: Name,
    args: WriteCalls[Name]["args"],
  ): Promise<WriteCalls[Name]["result"]>;
  /** Calls with any arguments. */
  get(path: string, args: unknown): Promise<Response>;
  post(name: string, args: unknown): Promise<Response>;
}

/** Opens an inspector that lets everybody in. */
export function askInspector(
  saver: CheckpointSaver,
  options: Partial<InspectorOptions> = {},
): AskedInspector {
  const inspector = createInspector(saver, { authorize: () => true, ...options });
  const get = (path: string, args: unknown): Promise<Response> => {
    const query = new URLSearchParams({ args: JSON.stringify(args) });
    return inspector(new Request(`http://localhost/${path}?${query.toString()}`));
  };
  const post = (name: string, args: unknown): Promise<Response> => {
    const headers = { "content-type": "application/json", "sec-fetch-site": "same-origin" };
    const body = JSON.stringify(args);
    return inspector(new Request(`http://localhost/api/${name}`, { method: "POST", headers, body }));
  };
  return {
    ...{ inspector, get, post },
    read: async (name, args) => (await bodyOf(await get(`api/${name}`, args))) as never,
    write: async (name, args) => (await bodyOf(await post(name, args))) as never,
  };
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (response.status !== 200) throw new Error(`status ${response.status}: ${text}`);
  return JSON.parse(text);
}
