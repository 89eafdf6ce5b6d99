// The page's half of the handshake (daemon/handshake.py): it proves that it knows a key or a code, and says neither.
// A page that is not encrypted has no crypto.subtle, so X25519 and SHA-256 come with it. All values are hexadecimal.

import "./vendor/nacl.js";
import { sha256 } from "./vendor/sha256.js";

const { scalarMult, randomBytes } = self.nacl;
const PUBLIC = 64;
const HEAD = 64;
const NUMBERS = 1e6;
const DIGITS = 6;

// For a page that comes back: a proof that it knows the key.
export const proof = (key, challenge) => sha256.hmac(sha256(key), challenge);

// For a page with a code: a new key, and what proves that it knows the code.
export function agree(code, challenge) {
  const own = randomBytes(scalarMult.scalarLength);
  const key = hex(scalarMult(own, bytes(challenge.slice(0, PUBLIC))));
  return { key, join: hex(scalarMult.base(own)), prove: proof(key, challenge + sha256(code)) };
}

// By which another phone takes the seat, if this one is lost.
export function number(key) {
  const digits = [...sha256(`number ${sha256(key)}`)];
  return String(digits.reduce((sum, digit) => (sum * 16 + parseInt(digit, 16)) % NUMBERS, 0)).padStart(DIGITS, "0");
}

// The text that was sealed for whoever knows the key.
export function opened(key, sealed) {
  const pad = bytes(sha256.hmac(sha256(key), `pad ${sealed.slice(0, HEAD)}`));
  return String.fromCharCode(...bytes(sealed.slice(HEAD)).map((byte, place) => byte ^ pad[place]));
}

export const bytes = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

export const hex = (data) => Array.from(data, (byte) => byte.toString(16).padStart(2, "0")).join("");
