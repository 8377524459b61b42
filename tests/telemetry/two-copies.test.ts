import { createRequire } from "node:module";
import type * as Api from "@opentelemetry/api";
import { trace } from "@opentelemetry/api";
import { expect, it, jest } from "@jest/globals";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { PostgresSaver } from "../../src/index.js";

const load = createRequire(import.meta.url);

it("spans reach an SDK that another copy of the API registered after the saver was created", async () => {
  const saver = new PostgresSaver("memory://");
  await expect(saver.deleteThread("")).rejects.toMatchObject({ code: "INVALID_CONFIG" });
  let other: typeof Api.trace = trace;
  jest.isolateModules(() => {
    other = (load("@opentelemetry/api") as typeof Api).trace;
  });
  expect(other).not.toBe(trace);
  const exporter = new InMemorySpanExporter();
  other.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
  try {
    await expect(saver.deleteThread("")).rejects.toMatchObject({ code: "INVALID_CONFIG" });
  } finally {
    other.disable();
  }
  expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual(["deleteThread checkpoints"]);
});
