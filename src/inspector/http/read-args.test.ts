import { describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { readBody } from "./read-args.js";

const JSON_TYPE = { "content-type": "application/json" };

function requestOf(body: BodyInit | null, headers: Readonly<Record<string, string>> = JSON_TYPE): Request {
  return new Request("http://localhost/", { method: "POST", body, headers, ...{ duplex: "half" } });
}

async function refusalOf(request: Request): Promise<unknown> {
  const read = await readBody(request, z.unknown());
  if (!(read instanceof Response)) return read;
  const { error } = (await read.json()) as {
    readonly error: { readonly code: string; readonly message: string };
  };
  return [read.status, error.code, error.message];
}

/** A body of a length that nobody tells before, in two parts. */
function streamed(bytes: number): ReadableStream<Uint8Array> {
  const text = new TextEncoder().encode(JSON.stringify("x".repeat(bytes - 2)));
  return new ReadableStream({
    start: (controller) => {
      controller.enqueue(text.subarray(0, 10));
      controller.enqueue(text.subarray(10));
      controller.close();
    },
  });
}

describe("the body of a request", () => {
  it.each(["application/json", "Application/JSON ; charset=utf-8"])(
    "is read where its type is %s",
    async (type) => {
      expect(await refusalOf(requestOf('{"é":[1]}', { "content-type": type }))).toEqual({ é: [1] });
    },
  );

  it("may have a million bytes, whether their number is told or not", async () => {
    const longest = `"${"x".repeat(999_998)}"`;
    expect(await refusalOf(requestOf(longest, { ...JSON_TYPE, "content-length": "1000000" }))).toHaveLength(
      999_998,
    );
    expect(await refusalOf(requestOf(streamed(1_000_000)))).toHaveLength(999_998);
    const tooLarge = [413, "TOO_LARGE", "the body must have at most 1000000 bytes"];
    expect(await refusalOf(requestOf(streamed(1_000_001)))).toEqual(tooLarge);
    expect(await refusalOf(requestOf("{}", { ...JSON_TYPE, "content-length": "1000001" }))).toEqual(tooLarge);
  });

  it.each<[what: string, request: () => Request, refused: unknown[]]>([
    [
      "of another type",
      () => requestOf("{}", { "content-type": "text/plain" }),
      [415, "UNSUPPORTED_MEDIA_TYPE", "send application/json"],
    ],
    [
      "without a type",
      () => requestOf(streamed(9), {}),
      [415, "UNSUPPORTED_MEDIA_TYPE", "send application/json"],
    ],
    [
      "that is no UTF-8",
      () => requestOf(new Uint8Array([0x22, 0xff, 0x22])),
      [400, "INVALID_CONFIG", "the body must be UTF-8"],
    ],
  ])("is refused %s", async (_, request, refused) => {
    expect(await refusalOf(request())).toEqual(refused);
  });

  it("must not have been read before", async () => {
    const request = requestOf("{}");
    await request.text();
    expect(await refusalOf(request)).toEqual([
      500,
      "BODY_USED",
      "the application has read the body of the request: mount the inspector before what reads bodies, such as express.json()",
    ]);
  });

  it("must be JSON that is not too deep", async () => {
    await expect(readBody(requestOf(null), z.unknown())).rejects.toThrow("must be JSON");
    await expect(readBody(requestOf("{"), z.unknown())).rejects.toThrow("must be JSON");
    const deep = (levels: number) => requestOf("[".repeat(levels) + "]".repeat(levels));
    await expect(readBody(deep(10_000), z.unknown())).rejects.toThrow(
      /must not be nested deeper than \d+ levels/,
    );
    expect(await refusalOf(deep(3))).toEqual([[[]]]);
  });
});
