// Ed25519 for Python (referee_tab/records.py), by TweetNaCl. All values are hexadecimal.

import { bytes, hex } from "./handshake.js";
import "./vendor/nacl.js";

const { sign: signing } = self.nacl;
const pair = (seed) => signing.keyPair.fromSeed(bytes(seed));

export const hasSigned = (key, message, signature) => signing.detached.verify(bytes(message), bytes(signature), bytes(key));

export const publicOf = (seed) => hex(pair(seed).publicKey);

export const sign = (seed, message) => hex(signing.detached(bytes(message), pair(seed).secretKey));
