//! Moments as programs write them. Tests: below.

/// A moment as ISO 8601 (`2026-11-30T18:17:25.396Z`, `…+01:00`) in milliseconds since 1970; `None` for another form.
pub fn milliseconds(text: &str) -> Option<f64> {
    let (date, time) = text.split_once(['T', ' '])?;
    let zone = time.find(['Z', 'z', '+', '-'])?;
    let (time, zone) = time.split_at(zone);
    let number = |text: &str| text.parse::<i64>().ok();
    let mut parts = date.splitn(3, '-').map(number);
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let mut parts = time.splitn(3, ':');
    let (hour, minute) = (number(parts.next()?)?, number(parts.next()?)?);
    let second: f64 = parts.next().unwrap_or("0").parse().ok()?;
    if !(0..=9_999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Days since 1970-01-01, in a calendar whose year begins in March.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days =
        year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + (month * 153 + 2) / 5 + day
            - 719_469;
    let minutes = (days * 24 + hour) * 60 + minute - offset(zone)?;
    Some(minutes as f64 * 60_000.0 + (second * 1000.0).round())
}

/// Minutes east of Greenwich.
fn offset(zone: &str) -> Option<i64> {
    if zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let (sign, rest) = zone.split_at_checked(1)?;
    let (hours, minutes) = rest.split_once(':').or_else(|| rest.split_at_checked(2))?;
    let minutes = hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok().unwrap_or(0);
    Some(if sign == "-" { -minutes } else { minutes })
}

#[cfg(test)]
mod tests {
    use super::milliseconds;

    #[test]
    fn moments_are_read_to_the_millisecond() {
        assert_eq!(milliseconds("1970-01-01T00:00:00Z"), Some(0.0));
        assert_eq!(milliseconds("2026-11-30T18:17:25.396Z"), Some(1_796_062_645_396.0));
        assert_eq!(milliseconds("2024-02-29T12:00:00.000Z"), Some(1_709_208_000_000.0));
        assert_eq!(milliseconds("2024-02-29T13:00:00+01:00"), Some(1_709_208_000_000.0));
        assert_eq!(milliseconds("2024-02-29T07:30:00-0430"), Some(1_709_208_000_000.0));
        for other in ["yesterday", "2026-11-30", "2026-13-30T18:17:25Z", "2026-11-30T18:17:25", ""] {
            assert_eq!(milliseconds(other), None, "{other}");
        }
    }
}
