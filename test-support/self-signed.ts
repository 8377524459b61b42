import { generateKeyPairSync, sign } from "node:crypto";

/** A certificate and its key, as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const DAY_MS = 86_400_000;
const ECDSA_WITH_SHA256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const COMMON_NAME = [0x55, 0x04, 0x03];
const SUBJECT_ALT_NAME = [0x55, 0x1d, 0x11];
const BASIC_CONSTRAINTS = [0x55, 0x1d, 0x13];

/** Creates a self-signed certificate of 127.0.0.1 that is valid for a day. */
export function selfSigned(): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(oid(ECDSA_WITH_SHA256));
  const name = sequence(der(0x31, sequence(oid(COMMON_NAME), der(0x0c, Buffer.from("tests")))));
  const extensions = sequence(
    sequence(oid(BASIC_CONSTRAINTS), der(0x04, sequence(der(0x01, Buffer.from([0xff]))))),
    sequence(oid(SUBJECT_ALT_NAME), der(0x04, sequence(der(0x87, Buffer.from([127, 0, 0, 1]))))),
  );
  const body = sequence(
    der(0xa0, integer(2)),
    integer(1),
    algorithm,
    name,
    sequence(utcTime(Date.now() - DAY_MS), utcTime(Date.now() + DAY_MS)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, extensions),
  );
  const signature = sign("sha256", body, privateKey);
  const whole = sequence(body, algorithm, der(0x03, Buffer.from([0]), signature));
  const lines = whole.toString("base64").match(/.{1,64}/g) ?? [];
  return {
    cert: ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n"),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function der(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const bytes = length < 128 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...bytes]), content]);
}

function sequence(...contents: Buffer[]): Buffer {
  return der(0x30, ...contents);
}

function oid(bytes: number[]): Buffer {
  return der(0x06, Buffer.from(bytes));
}

function integer(value: number): Buffer {
  return der(0x02, Buffer.from([value]));
}

function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, "").slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}
