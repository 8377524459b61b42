import { flag } from "../options/shared-options.js";
import { Option } from "commander";
import { z } from "zod";
import type { WriterFor } from "../../inspector/inspector-context.js";
import type { CommandContext, CommandDefinition } from "../command-definition.js";
import { EXIT_CODE } from "../command-io.js";
import { countOption } from "../options/option-values.js";

const MAX_PORT = 65_535;

const inspectFlags = z.object({
  write: flag,
  open: flag,
  port: z.number().optional(),
});

export const inspectCommand: CommandDefinition = {
  name: "inspect",
  group: "Inspect",
  lasts: true,
  summary: "show the threads in a browser: serves a page on this machine until Ctrl-C, which is a success",
  options: () => [
    new Option("--write", "let the page change threads, items of the store and entries of the cache"),
    new Option("--open", "open the page in the browser"),
    countOption("--port <n>", "the port on 127.0.0.1 (default: a free one)", 1, MAX_PORT),
  ],
  examples: ["inspect", "inspect --write", "inspect --open", "inspect --json"],
  run: async (context, flags) => {
    const { write, open, port } = inspectFlags.parse(flags);
    const { saver, readableStore: store, signal, style } = context;
    const { inspectorWith } = await import("../../inspector/create-inspector.js");
    const { serveLocally } = await import("../../inspector/local/serve-locally.js");
    const { address, ended } = await serveLocally(
      (authorize) => {
        const writers = { writerFor: writerOf(context), items: context.store };
        return inspectorWith(saver, { authorize, write, store }, writers);
      },
      { signal, port },
    );
    const isOpened = open && (await openAddress(address));
    const notes = [
      write
        ? style.warning("The page can change what it shows.")
        : "Read-only: --write lets the page change what it shows.",
      "The address works once, in a browser of this machine. Ctrl-C ends the inspector.",
      ...(open && !isOpened ? [style.warning("No browser was found: open the address yourself.")] : []),
    ];
    return {
      exitCode: EXIT_CODE.ok,
      text: [address, ...notes].join("\n"),
      json: { address, write },
      ended,
    };
  },
};

/** Each thread is written as its values are stored. */
function writerOf(context: CommandContext): WriterFor {
  return async ({ threadId, namespace, checkpointIds }) => {
    const { openMatchingSaver } = await import("../run/matching-serializer.js");
    return openMatchingSaver(context, { threadId, checkpointNs: namespace }, checkpointIds);
  };
}

async function openAddress(address: string): Promise<boolean> {
  const { openInBrowser } = await import("../terminal/open-in-browser.js");
  return openInBrowser(address);
}
