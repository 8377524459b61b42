import { describe, expect, it } from "@jest/globals";
import { compareChannelVersions, maxChannelVersion } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { runs } from "../../test-support/runs.js";
import { JsonSerializer } from "../../src/serde/json/json-serializer.js";
import { MsgpackSerializer } from "../../src/serde/msgpack/msgpack-serializer.js";
import { FIRST_VERSION, nextVersion } from "../../src/saver/codec/next-version.js";
import { PostgresSaver } from "../../src/postgres-saver.js";

const counter = fc.nat({ max: 2 ** 31 });

describe("the version after another", () => {
  it("is larger in LangGraph's order, at every step", () => {
    fc.assert(
      fc.property(fc.option(fc.oneof(counter, counter.map(String)), { nil: undefined }), (start) => {
        let current = nextVersion(start);
        for (let step = 0; step < 20; step++) {
          const next = nextVersion(current);
          expect(compareChannelVersions(next, current)).toBe(1);
          expect(maxChannelVersion(current, next)).toBe(next);
          current = next;
        }
      }),
      runs(100),
    );
  });

  it("has the kind of version that the thread has", () => {
    fc.assert(
      fc.property(counter, (version) => {
        expect(Math.floor(nextVersion(version))).toBe(version + 1);
        expect(nextVersion(String(version))).toMatch(/^\d{32}\.\d{16}$/);
      }),
      runs(100),
    );
    expect(nextVersion("00000000000000000000000000000009.0.5")).toMatch(/^0{30}10\./);
  });

  it("is larger than a version that another saver padded to another width", () => {
    for (const width of [12, 20, 32, 40]) {
      const current = `${"41".padStart(width, "0")}.0f8fad5b-d9cb-469f-a165-70867728950e`;
      const next = nextVersion(current);
      expect(compareChannelVersions(next, current)).toBe(1);
      expect(compareChannelVersions(nextVersion(next), next)).toBe(1);
    }
  });

  it("differs from the version of any other branch of the same checkpoint", () => {
    for (const version of [7, "00000000000000000000000000000007.0.1", undefined]) {
      const branches = Array.from({ length: 1_000 }, () => nextVersion(version));
      expect(new Set(branches).size).toBe(branches.length);
    }
  });

  it("survives JSONB and text unchanged where it is a number", () => {
    fc.assert(
      fc.property(counter, (version) => {
        const next = nextVersion(version);
        // JavaScript writes a number beyond 1e21 with an exponent, and JSONB without one.
        expect(String(next)).toMatch(/^\d+(\.\d+)?$/);
        expect(JSON.parse(String(next))).toBe(next);
      }),
      runs(100),
    );
  });

  it("follows the version of a value without one", () => {
    expect(compareChannelVersions(nextVersion(FIRST_VERSION), FIRST_VERSION)).toBe(1);
    expect(compareChannelVersions(nextVersion(undefined), FIRST_VERSION)).toBeGreaterThanOrEqual(0);
  });

  it("is a number from the start where the official JavaScript saver will take the thread over", () => {
    const saver = new PostgresSaver("memory://", new JsonSerializer());
    const getNextVersion = saver.getNextVersion.bind(undefined as never);
    expect(getNextVersion(undefined)).toBeGreaterThanOrEqual(1);
    expect(getNextVersion(undefined)).toBeLessThan(2);
    expect(getNextVersion(nextVersion(undefined))).toMatch(/^0{31}2\./);
  });

  it.each([new MsgpackSerializer(), new JsonSerializer()])(
    "is that of a subclass that overrides the method, called with or without `this`: %o",
    (serde) => {
      class Own extends PostgresSaver {
        readonly #suffix = ".5";

        override getNextVersion(current: number): number;
        override getNextVersion(current: string): string;
        override getNextVersion(current: number | string | undefined): number | string;
        override getNextVersion(current: number | string | undefined): number | string {
          return `${Math.floor(Number(super.getNextVersion(current)))}${this.#suffix}`;
        }
      }
      const saver = new Own("memory://", serde);
      for (const self of [saver, undefined, true]) {
        expect(saver.getNextVersion.bind(self as never)(7)).toBe("8.5");
      }
    },
  );

  it("works without `this`, as LangGraph calls it in subgraphs", () => {
    const saver = PostgresSaver.fromConnString("memory://");
    for (const self of [undefined, true, false]) {
      expect(saver.getNextVersion.bind(self as never)(undefined)).toMatch(/^0{31}1\./);
    }
  });
});
