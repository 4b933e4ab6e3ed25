/** Owns the codes of mails that whoever starts a stack or a test fixes, for addresses that are named whole. */
import { type Config, ConfigError } from "./config.ts";

/** The configuration with these codes by address. @throws ConfigError for what is no address, or no code */
export function withMailCodes(config: Config, codes: Readonly<Record<string, string>>): Config {
  const digits = config.auth.email.otp_length;
  const mailCodes = Object.entries(codes).map(([address, code]) => {
    if (!/^[^\s@*]+@[^\s@*]+$/.test(address))
      throw new ConfigError(`${JSON.stringify(address)} is no address: codes are fixed for whole addresses.`);
    if (!new RegExp(`^\\d{${digits}}$`).test(code))
      throw new ConfigError(
        `The code ${JSON.stringify(code)} of ${address} has not ${digits} digits (auth.email.otp_length).`,
      );
    return [address.toLowerCase(), code];
  });
  return { ...config, mailCodes: Object.fromEntries(mailCodes) as Record<string, string> };
}
