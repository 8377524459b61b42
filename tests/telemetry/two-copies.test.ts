import { createRequire } from "node:module";
import type * as Api from "@opentelemetry/api";
import { trace } from "@opentelemetry/api";
import { expect, it } from "@jest/globals";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { PostgresSaver } from "../../src/index.js";

const load = createRequire(import.meta.url);

/** Loads a second copy of the OpenTelemetry API. */
function loadAnotherApi(): typeof Api {
  const loaded = { ...load.cache };
  for (const file of Object.keys(loaded)) {
    if (file.includes("/node_modules/@opentelemetry/api/")) Reflect.deleteProperty(load.cache, file);
  }
  try {
    return load("@opentelemetry/api") as typeof Api;
  } finally {
    Object.assign(load.cache, loaded);
  }
}

it("spans reach an SDK that another copy of the API registered after the saver was created", async () => {
  const saver = new PostgresSaver("memory://");
  await expect(saver.deleteThread("\0")).rejects.toMatchObject({ code: "INVALID_CONFIG" });
  const { trace: other } = loadAnotherApi();
  expect(other).not.toBe(trace);
  const exporter = new InMemorySpanExporter();
  other.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
  try {
    await expect(saver.deleteThread("\0")).rejects.toMatchObject({ code: "INVALID_CONFIG" });
  } finally {
    other.disable();
  }
  expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual(["deleteThread checkpoints"]);
});
