import { createInspector, type Inspector, type InspectorOptions } from "../src/inspector/index.js";
import type { CheckpointSaver } from "../src/index.js";
import type { CallError, ReadCalls, ReadName } from "../src/inspector/api/inspector-api.js";

/** Calls an inspector as its page does, without a server. */
export class InspectorCalls {
  readonly handler: Inspector;

  constructor(saver: CheckpointSaver, options: Partial<InspectorOptions> = {}) {
    this.handler = createInspector(saver, { authorize: () => true, ...options });
  }

  /** Sends a call that reads. */
  send(name: string, args: unknown, init: RequestInit = {}): Promise<Response> {
    const query = new URLSearchParams({ args: JSON.stringify(args) });
    return this.handler(new Request(`http://127.0.0.1/${name}?${query.toString()}`, init));
  }

  /** Calls, and fails where the answer is an error. */
  async read<Name extends ReadName>(
    name: Name,
    args: ReadCalls[Name]["args"],
  ): Promise<ReadCalls[Name]["result"]> {
    const response = await this.send(`api/${name}`, args);
    if (!response.ok) throw new Error(`${name}: ${await response.text()}`);
    return JSON.parse(await response.text()) as ReadCalls[Name]["result"];
  }

  /** Calls, and returns the status and the code of the error. */
  async refusal(name: string, args: unknown): Promise<readonly [status: number, code: string]> {
    const response = await this.send(`api/${name}`, args);
    const { error } = JSON.parse(await response.text()) as CallError;
    return [response.status, error.code];
  }
}
