set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION public.settle_mail(mail uuid, failure text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
BEGIN ATOMIC
 UPDATE private.outgoing_mail m SET sent_at =
         CASE
             WHEN (settle_mail.failure IS NULL) THEN now()
             ELSE NULL::timestamp with time zone
         END, secret =
         CASE
             WHEN ((settle_mail.failure IS NOT NULL) AND (m.attempts < 5)) THEN m.secret
             ELSE NULL::text
         END, failure = "left"(settle_mail.failure, 500)
   WHERE ((m.id = settle_mail.mail) AND (m.sent_at IS NULL));
END;
