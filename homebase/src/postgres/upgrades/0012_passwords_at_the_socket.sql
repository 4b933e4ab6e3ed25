-- Every login at the socket shows a password: the function of http that dials the server itself, which is replaced after this
-- file, takes its own from a file.
select;
