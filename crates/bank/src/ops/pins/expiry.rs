//! Parses the expiry of a pin: a duration from now, a date or a time.

use cerberus_model::{UserError, refuse};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

/// Parses an expiry, which must be after `now`.
pub(super) fn parse(text: &str, now: Timestamp) -> Result<Timestamp, UserError> {
    // Reports show whole seconds; rounding up never shortens a duration.
    let full_second = now.as_second() + i64::from(now.subsec_nanosecond() > 0);
    let start = Timestamp::from_second(full_second).unwrap_or(now);
    let Some(at) = parse_timestamp(text.trim(), start) else {
        return refuse(
            format!("`{text}` is not a valid expiry"),
            "write it as `2h`, `3d`, `2026-12-31` or `2026-12-31T18:00:00Z`",
        );
    };
    if at <= now {
        return refuse(
            format!("`{text}` is not in the future"),
            "pass a later time",
        );
    }
    Ok(at)
}

/// Parses in UTC, so that a pin expires at the same time on every machine.
fn parse_timestamp(text: &str, now: Timestamp) -> Option<Timestamp> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time);
    }
    if let Ok(date) = text.parse::<Date>()
        && let Ok(start) = date.to_zoned(TimeZone::UTC)
    {
        return Some(start.timestamp());
    }
    let duration: Span = text.parse().ok()?;
    let end = now.to_zoned(TimeZone::UTC).checked_add(duration).ok()?;
    Some(end.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_dates_and_times_are_parsed() {
        let now: Timestamp = "2026-01-02T03:04:05Z".parse().expect("a time");
        for (text, expected) in [
            ("2h", Some("2026-01-02T05:04:05Z")),
            ("90 minutes", Some("2026-01-02T04:34:05Z")),
            ("3d", Some("2026-01-05T03:04:05Z")),
            ("2026-02-01", Some("2026-02-01T00:00:00Z")),
            ("2026-02-01T10:00:00+02:00", Some("2026-02-01T08:00:00Z")),
            ("2025-02-01", None),
            ("-2h", None),
            ("0s", None),
            ("soon", None),
            ("", None),
            ("99999999y", None),
        ] {
            let found = parse(text, now).ok().map(|at| at.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
