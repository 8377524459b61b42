import { expect, test } from "@jest/globals";
import { aesCmac } from "./aes-eax.js";

const MESSAGE =
  "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";

const KEYS = {
  128: "2b7e151628aed2a6abf7158809cf4f3c",
  192: "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
  256: "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
};

// RFC 4493 for 128 bits; NIST SP 800-38B, appendix D, for all three.
test.each<[keyof typeof KEYS, number, string]>([
  [128, 0, "bb1d6929e95937287fa37d129b756746"],
  [128, 16, "070a16b46b4d4144f79bdd9dd04a287c"],
  [128, 40, "dfa66747de9ae63030ca32611497c827"],
  [128, 64, "51f0bebf7e3b9d92fc49741779363cfe"],
  [192, 0, "d17ddf46adaacde531cac483de7a9367"],
  [192, 16, "9e99a7bf31e710900662f65e617c5184"],
  [192, 40, "8a1de5be2eb31aad089a82e6ee908b0e"],
  [192, 64, "a1d5df0eed790f794d77589659f39a11"],
  [256, 0, "028962f61b7bf89efc6b551f4667d983"],
  [256, 16, "28a7023f452e8f82bd4bf28d8c37c35c"],
  [256, 40, "aaf3d8f1de5640c232f5b169b9c911e6"],
  [256, 64, "e1992190549f6ed5696a2c056c315410"],
])("the code of AES-%i for %i bytes is the one in the standard", (bits, length, expected) => {
  const message = Buffer.from(MESSAGE, "hex").subarray(0, length);
  expect(aesCmac(Buffer.from(KEYS[bits], "hex"), message).toString("hex")).toBe(expected);
});

test("the code of a message in parts is the code of the whole message", () => {
  const key = Buffer.from(KEYS[256], "hex");
  const message = Buffer.from(MESSAGE, "hex");
  expect(aesCmac(key, message.subarray(0, 5), message.subarray(5))).toEqual(aesCmac(key, message));
});
