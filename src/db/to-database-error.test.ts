import { describe, expect, it } from "@jest/globals";
import { ConnectionError, DatabaseError, InvalidConfigError, PermissionError } from "../errors/index.js";
import { toDatabaseError } from "./to-database-error.js";

function coded(code: string | undefined, name = "error"): Error {
  return Object.assign(new Error("what the driver said"), code === undefined ? { name } : { code, name });
}

describe("what a driver throws", () => {
  it.each<[code: string | undefined, kind: typeof DatabaseError, transient: boolean]>([
    ["23505", DatabaseError, false],
    ["22P02", DatabaseError, false],
    ["28P01", DatabaseError, false],
    ["42501", PermissionError, false],
    ["40001", DatabaseError, true],
    ["40P01", DatabaseError, true],
    ["25006", DatabaseError, true],
    ["53300", DatabaseError, true],
    ["57P01", ConnectionError, true],
    ["57P03", ConnectionError, true],
    ["57P05", ConnectionError, true],
    ["25P03", ConnectionError, true],
    ["40003", DatabaseError, true],
    ["57014", DatabaseError, false],
    ["SELF_SIGNED_CERT_IN_CHAIN", ConnectionError, false],
    ["CERT_HAS_EXPIRED", ConnectionError, false],
    ["ERR_TLS_CERT_ALTNAME_INVALID", ConnectionError, false],
    ["08006", ConnectionError, true],
    ["ECONNREFUSED", ConnectionError, true],
    ["ECONNRESET", ConnectionError, true],
    ["EPIPE", ConnectionError, true],
    [undefined, ConnectionError, true],
  ])("becomes, by its code %p, %p", (code, kind, transient) => {
    const cause = coded(code);
    const error = toDatabaseError(cause);
    expect(error.constructor).toBe(kind);
    expect(error).toMatchObject({ transient, cause });
    if (code?.length === 5 && code !== "EPIPE") expect(error).toMatchObject({ sqlState: code });
  });

  it("is left as it is where it is ours, or a mistake in a program", () => {
    for (const error of [
      new InvalidConfigError("a", "b"),
      coded(undefined, "TypeError"),
      coded(undefined, "RangeError"),
    ]) {
      expect(toDatabaseError(error)).toBe(error);
    }
  });

  it("is not retried where a folder can't be used, but is where a socket is not there yet", () => {
    const failed = (syscall: string) => Object.assign(coded("ENOENT"), { path: "/somewhere", syscall });
    expect(toDatabaseError(failed("mkdir"))).toMatchObject({ code: "DATABASE_ERROR", transient: false });
    expect(toDatabaseError(failed("connect"))).toMatchObject({ code: "CONNECTION_FAILED", transient: true });
  });

  it("becomes an error even where it was none", () => {
    expect(toDatabaseError("text")).toMatchObject({ code: "DATABASE_ERROR", cause: "text" });
  });

  it("says why all of a host's addresses failed", () => {
    const error = toDatabaseError(
      new AggregateError([new Error("::1 refused"), new Error("127.0.0.1 refused")]),
    );
    expect(error.message).toContain("::1 refused");
  });
});
