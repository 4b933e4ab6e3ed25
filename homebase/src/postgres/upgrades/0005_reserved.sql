-- Holds the number until the file of that number is merged.
select;
