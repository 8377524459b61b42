import { describe, expect, it } from "@jest/globals";
import {
  ConnectionError,
  DatabaseError,
  DiskFullError,
  InvalidConfigError,
  PermissionError,
  ReadOnlyError,
  StatementCancelledError,
} from "../errors/index.js";
import { toDatabaseError } from "./to-database-error.js";

function coded(code: string | undefined, name = "error"): Error {
  return Object.assign(new Error("what the driver said"), code === undefined ? { name } : { code, name });
}

describe("toDatabaseError", () => {
  it.each<[code: string | undefined, kind: typeof DatabaseError, transient: boolean]>([
    ["23505", DatabaseError, false],
    ["22P02", DatabaseError, false],
    ["28P01", DatabaseError, false],
    ["42501", PermissionError, false],
    ["40001", DatabaseError, true],
    ["40P01", DatabaseError, true],
    ["25006", ReadOnlyError, true],
    ["53300", DatabaseError, true],
    ["57P01", ConnectionError, true],
    ["57P03", ConnectionError, true],
    ["57P05", ConnectionError, true],
    ["25P03", ConnectionError, true],
    ["40003", DatabaseError, true],
    ["53100", DiskFullError, false],
    ["57014", StatementCancelledError, false],
    ["SELF_SIGNED_CERT_IN_CHAIN", ConnectionError, false],
    ["CERT_HAS_EXPIRED", ConnectionError, false],
    ["ERR_TLS_CERT_ALTNAME_INVALID", ConnectionError, false],
    ["08006", ConnectionError, true],
    ["ECONNREFUSED", ConnectionError, true],
    ["ECONNRESET", ConnectionError, true],
    ["EPIPE", ConnectionError, true],
    [undefined, ConnectionError, true],
  ])("converts an error with code %p to %p", (code, kind, transient) => {
    const cause = coded(code);
    const error = toDatabaseError(cause);
    expect(error.constructor).toBe(kind);
    expect(error).toMatchObject({ transient, cause });
    if (code?.length === 5 && code !== "EPIPE") expect(error).toMatchObject({ sqlState: code });
  });

  it("returns an error of this library or a programming mistake unchanged", () => {
    for (const error of [
      new InvalidConfigError("a", "b"),
      coded(undefined, "TypeError"),
      coded(undefined, "RangeError"),
    ]) {
      expect(toDatabaseError(error)).toBe(error);
    }
  });

  it("makes a folder's error permanent, and a missing socket's error transient", () => {
    const failed = (syscall: string) => Object.assign(coded("ENOENT"), { path: "/somewhere", syscall });
    expect(toDatabaseError(failed("mkdir"))).toMatchObject({ code: "DATABASE_ERROR", transient: false });
    expect(toDatabaseError(failed("connect"))).toMatchObject({ code: "CONNECTION_FAILED", transient: true });
  });

  it("converts a thrown value that is not an Error", () => {
    expect(toDatabaseError("text")).toMatchObject({ code: "DATABASE_ERROR", cause: "text" });
  });

  it("names the errors of all addresses of a host", () => {
    const error = toDatabaseError(
      new AggregateError([new Error("::1 refused"), new Error("127.0.0.1 refused")]),
    );
    expect(error.message).toContain("::1 refused");
  });
});
