import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { endProcess } from "../chaos/run/client-process.js";
import { withoutNodeOptions } from "../../test-support/without-node-options.js";

/** Starts the server of the chat, and resolves when it listens. @throws Error with what it printed, where it ends before. */
export async function startChat(main: string, settings: NodeJS.ProcessEnv): Promise<ChatProcess> {
  const child = spawn(process.execPath, [main], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...withoutNodeOptions(), ...settings },
  });
  let printed = "";
  for await (const line of createInterface({ input: child.stdout })) {
    printed += `${line}\n`;
    if (line.startsWith("The chat is at")) return new ChatProcess(child);
  }
  throw new Error(`the chat did not start: ${printed}`);
}

/** A server of the chat, which listens. */
export class ChatProcess {
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Ends it as `kill -9` does. */
  kill(): Promise<void> {
    return endProcess(this.#child, (child) => child.kill("SIGKILL"));
  }
}
