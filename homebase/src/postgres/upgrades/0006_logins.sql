-- Vault's key lies beside the data folder: the function that reads it is replaced, with all functions of our extensions,
-- after the last file (extensions/renew.ts).
select;
