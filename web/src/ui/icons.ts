/**
 * Owns: the icon vocabulary. Exactly these fourteen of Lucide, each always with the same meaning, and no
 * icon from anywhere else (docs/specification.md).
 */
export {
  /** go, back, send */
  ArrowRight as ArrowIcon,
  /** dates */
  Calendar as CalendarIcon,
  /** photos */
  Camera as CameraIcon,
  /** done, yes, RSVP */
  Check as CheckIcon,
  /** times, opening hours, waiting */
  Clock as ClockIcon,
  /** save, react */
  Heart as HeartIcon,
  /** in progress */
  Loader as LoaderIcon,
  /** place */
  MapPin as MapPinIcon,
  /** chat */
  MessageCircle as MessageIcon,
  /** directions, on the way */
  Navigation as NavigationIcon,
  /** suggestion */
  Sparkles as SparklesIcon,
  /** rating */
  Star as StarIcon,
  /** people, circle */
  Users as UsersIcon,
  /** meal, cuisine */
  Utensils as UtensilsIcon,
} from "lucide-react";
