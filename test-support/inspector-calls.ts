import { createInspector, type Inspector, type InspectorOptions } from "../src/inspector/index.js";
import type { CheckpointSaver } from "../src/index.js";
import type {
  CallError,
  ReadCalls,
  ReadName,
  WriteCalls,
  WriteName,
} from "../src/inspector/api/inspector-api.js";

/** Calls an inspector as its page does, without a server. */
export class InspectorCalls {
  readonly handler: Inspector;

  constructor(saver: CheckpointSaver, options: Partial<InspectorOptions> = {}) {
    this.handler = createInspector(saver, { authorize: () => true, ...options });
  }

  /** Asks for what the browser itself loads, with the arguments in the address: events, a download, an export. */
  load(path: "events" | "download" | "export", args: unknown, init: RequestInit = {}): Promise<Response> {
    const query = new URLSearchParams({ args: JSON.stringify(args) });
    return this.handler(new Request(`http://127.0.0.1/${path}?${query.toString()}`, init));
  }

  /** Sends a call. */
  post(name: string, args: unknown, signal?: AbortSignal): Promise<Response> {
    return this.postTo(`/api/${name}`, args, {}, signal);
  }

  /** Sends a body to a path, as the page does. */
  postTo(
    path: string,
    args: unknown,
    given: Readonly<Record<string, string>> = {},
    signal: AbortSignal | null = null,
  ): Promise<Response> {
    const headers = { "content-type": "application/json", "sec-fetch-site": "same-origin", ...given };
    const body = JSON.stringify(args);
    const init = { method: "POST", headers, body, signal };
    return this.handler(new Request(`http://127.0.0.1${path}`, init));
  }

  /** Reads, and fails where the answer is an error. */
  async read<Name extends ReadName>(
    name: Name,
    args: ReadCalls[Name]["args"],
  ): Promise<ReadCalls[Name]["result"]> {
    const response = await this.post(name, args);
    return (await bodyOf(response)) as ReadCalls[Name]["result"];
  }

  /** Writes, and fails where the answer is an error. */
  async write<Name extends WriteName>(
    name: Name,
    args: WriteCalls[Name]["args"],
  ): Promise<WriteCalls[Name]["result"]> {
    const response = await this.post(name, args);
    return (await bodyOf(response)) as WriteCalls[Name]["result"];
  }

  /** Calls, and returns the status and the code of the error. */
  async refusal(name: string, args: unknown): Promise<readonly [status: number, code: string]> {
    const response = await this.post(name, args);
    const { error } = JSON.parse(await response.text()) as CallError;
    return [response.status, error.code];
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!response.ok) throw new Error(`status ${response.status}: ${text}`);
  return JSON.parse(text);
}
